// A translation unit as users have them: little code, the whole library behind it.
#include <iostream>
#include <map>
#include <regex>
#include <algorithm>
#include <vector>
#include <string>
#include <sstream>
#include <functional>
#include <memory>
#include <unordered_map>
#include <stdexcept>
struct Base{virtual ~Base(){} virtual double f(double)const=0;};
struct D1:Base{double a; D1(double a):a(a){} double f(double x)const override{return a*x;}};
struct D2:Base{std::function<double(double)> g; D2(std::function<double(double)> g):g(g){} double f(double x)const override{ if(x<0) throw std::runtime_error("neg"); return g(x);}};
int main(int argc,char**argv){
 std::map<std::string,int> m; std::regex r("(a|b)*c+[0-9]{2,3}"); std::vector<std::string> v;
 for(int i=0;i<argc;i++){ v.push_back(argv[i]); m[argv[i]]++; if(std::regex_search(std::string(argv[i]),r)) std::cout<<"match"<<std::endl; }
 std::sort(v.begin(),v.end(),[](auto&a,auto&b){return a.size()<b.size();});
 std::stable_sort(v.begin(),v.end());
 std::ostringstream os; for(auto&[k,c]:m) os<<k<<c; std::cout<<os.str();
 std::unordered_map<int,std::unique_ptr<Base>> um; um[1]=std::make_unique<D1>(3.0); um[2]=std::make_unique<D2>([&](double x){return x+argc;});
 try{ double s=0; for(auto&[k,b]:um) s+=b->f(-k); std::cout<<s; }catch(const std::exception&e){ std::cerr<<e.what(); }
 return std::regex_replace(std::string("x"),r,"y").size();
}
